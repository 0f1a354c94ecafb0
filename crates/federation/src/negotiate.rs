//! Who asks for a document, and who for a page.
