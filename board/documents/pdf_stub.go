package documents

func readPDF(name string, data []byte) (*Document, error) { return nil, unread(name, "a PDF") }
