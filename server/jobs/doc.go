// Package jobs does periodic work beside the serving: each job alone, again and again, whatever becomes of one run.
package jobs
