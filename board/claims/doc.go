// Package claims holds texts against each other: findings against the sources that they quote, reports against
// findings, findings against each other. Package parse reads them.
package claims
