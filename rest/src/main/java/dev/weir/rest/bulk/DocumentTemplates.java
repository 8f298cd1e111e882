package dev.weir.rest.bulk;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.opensearch.Version;

/**
 * The last template of one bulk's documents: all or most of them fit it. The first document is
 * written without one, since a bulk may have no other. Safe on any thread: at worst, two threads
 * make the same template.
 */
final class DocumentTemplates {
  /** After so many templates in a row that fitted no other document, no more are made. */
  private static final int MAX_UNUSED = 8;

  private @Nullable DocumentTemplate last;
  private boolean isFirstWritten;
  private int unused;

  /** Returns a template for a document; null if only OpenSearch's own code can write it. */
  @Nullable DocumentTemplate find(BulkDocument document, Version wire) throws IOException {
    DocumentTemplate found = last;
    if (found != null && found.fits(document, wire)) {
      unused = 0;
      return found;
    }
    if (!isFirstWritten) {
      isFirstWritten = true;
      return null;
    }
    if (unused >= MAX_UNUSED) {
      return null;
    }
    unused++;
    found = DocumentTemplate.of(document, wire);
    last = found;
    return found;
  }

  /**
   * Returns a template for a document that stands for many; null if only OpenSearch's own code can
   * write it.
   */
  @Nullable DocumentTemplate findShared(BulkDocument document, Version wire) throws IOException {
    DocumentTemplate found = last;
    if (found == null || !found.fits(document, wire)) {
      found = DocumentTemplate.of(document, wire);
      last = found;
    }
    return found;
  }
}
