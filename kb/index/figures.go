// # How fast it is
//
// On two cores of a shared virtual machine (x86-64, Linux, Go 1.26), in process, with 384
// numbers to an embedding; medians in milliseconds, on two cores and, in brackets, on
// one; the worse of two figures is from a slow time. The texts are synthetic: 80 words
// from a vocabulary of 60,000 with the frequencies of a natural language, and questions of
// 3 to 8 words; of the 48 words of "few" nearly every document has some of a question.
//
//	documents                                 1,000        10,000         100,000                     250,000                     1,000,000
//	search by words                           0.06         0.08           0.3 to 0.5 (0.3 to 0.7)     0.8 to 0.9 (1.4 to 1.6)     7 (10)
//	the same over "few"                       0.05         0.15 to 0.2    0.6 to 0.9 (0.7 to 1.4)     1.6 to 1.9 (1.7 to 2.9)     24 (31)
//	by meaning, the embedding given           0.3 to 0.5   0.7            0.7 to 0.9 (0.9 to 1.0)     3.3 (3.3)                   9.3 (9.4)
//	both, 100 candidates each                 0.5 to 0.7   1.0            1.4 to 2.1 (1.5 to 2.1)     5.4 (6.3)                   18 (21)
//	open, ask once by words, close; by both                2.5; 12        8; 24                       9; 34                       30; 110
//
// At 100,000 the 99th percentile is 0.4 to 0.9 ms by words on two cores (0.6 to 2.5 on
// one), 1.0 to 1.5 by meaning and 2.0 to 2.8 by both; of the 20 nearest by meaning more
// than 98 % are found (`go test ./kb/index -run Recall -v`). The index takes some 300
// bytes a document for the words and 1.5 KB for the embedding, and 0.06 to 0.12 ms a
// document to make. A process that lives holds 160 MB at 100,000 and 210 MB at 250,000:
// the codes of all embeddings, 256 MB of them whole at most, and up to 128 MB of posting
// lists.
//
//	go test -run '^$' -bench . -cpu 1,2 ./kb/index
package index
