// Package acceptance sends real matches through the binary and compares what comes out with what is known of them. It needs
// a folder of raw data that is not part of the project:
//
//	make acceptance DATA=<folder>
//
//	football-bundles/*.json       a match as one document, with what must come out (The Fjelstul World Cup Database)
//	worldcup-2018/*.csv           the 2018 rows of The Fjelstul World Cup Database
//	openfootball/*/*.json         openfootball/worldcup.json and openfootball/euro.json
//
// What is there is turned into files as `umpire replay` reads them, sent to a server that the test starts, compared by
// `umpire verify`, and checked once more by `umpire ops verify`.
package acceptance
