package postgres

// MinVersion is the oldest major version of PostgreSQL that Umpire runs on.
const MinVersion = 15

// DefaultImage is the container image used when Options.Image is empty.
const DefaultImage = "postgres:17"

// DefaultDatabase is the database that Open creates in a server of its own.
const DefaultDatabase = "umpire"

// superuser owns every server that Open starts. Package and official image use the same name.
const superuser = "postgres"

// maintenance is the database that every server has.
const maintenance = "postgres"

// Options say which server Open is to find or bring. The zero value brings a throwaway one.
type Options struct {
	// URL names a running server and its database. When it is set, no other way is tried.
	URL string

	// DataDir is a data folder to keep. It is created when it does not exist. Empty: a throwaway one.
	DataDir string

	// Database is created when it does not exist; DefaultDatabase when empty. Ignored with URL.
	Database string

	// Port on 127.0.0.1; 0 takes a free one.
	Port int

	// Settings are server settings (`max_connections`: `200`); they win over all others.
	Settings map[string]string

	// Image is to be run in a container, and no other way is tried. When empty, DefaultImage is used if it comes to a
	// container.
	Image string

	// AllowInstall permits installing Debian's package with apt-get when there is no other way.
	AllowInstall bool

	// Log is told what is being done, one line at a time. May be nil.
	Log func(string)
}

func (o Options) log(line string) {
	if o.Log != nil {
		o.Log(line)
	}
}

func (o Options) database() string {
	if o.Database == "" {
		return DefaultDatabase
	}
	return o.Database
}

func (o Options) image() string {
	if o.Image == "" {
		return DefaultImage
	}
	return o.Image
}
