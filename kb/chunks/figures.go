// # How fast it is
//
// On two cores of a shared virtual machine (x86-64, Linux, Go 1.26), chunks of some 80
// words, medians in milliseconds. `board help figures` has the same beside
// agent-memory-store.
//
//	chunks                       1,000          10,000         100,000
//	write                        0.3 to 0.7     0.5            0.5
//	read                         0.02 to 0.03   0.02 to 0.03   0.02 to 0.03
//	list; of a tag of 1 in 100   0.3; 0.1       0.3; 0.3       0.3; 0.3
//	search by words              0.3 to 0.4     0.3 to 0.6     1.2
//	search by both               0.9 to 1.1     1.2 to 1.6     2.8
//
//	go test -run '^$' -bench . ./kb/chunks
package chunks
