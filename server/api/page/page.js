// Shows openapi.json. Everything comes from this server; nothing is validated or fetched elsewhere.
window.addEventListener("load", function () {
    SwaggerUIBundle({
        url: "openapi.json",
        dom_id: "#swagger-ui",
        deepLinking: true,
        docExpansion: "list",
        defaultModelsExpandDepth: 0,
        defaultModelExpandDepth: 4,
        filter: true,
        validatorUrl: null,
        presets: [SwaggerUIBundle.presets.apis],
        layout: "BaseLayout"
    });
});
