// Package feed reads the outbox for everybody who follows it: one poller per process for all viewers of the live stream
// (Hub), and the durable consumers, whose positions the database keeps (Consumers).
//
// The order is that of road.notes: by (xid, id), and nothing at or above the oldest transaction that is still running. No
// clock ever moves a position.
package feed
