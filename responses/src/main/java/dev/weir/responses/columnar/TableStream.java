package dev.weir.responses.columnar;

import dev.weir.rest.SearchResponseFormat.OutputFactory;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.opensearch.core.common.bytes.BytesReference;

/** A stream of hits as rows, page by page. Used by one thread. */
public interface TableStream {
  /** Returns the media type of the response. */
  String contentType();

  /** Returns the bytes before the first page; may be empty. */
  BytesReference writeHeader(OutputFactory outputs) throws IOException;

  /**
   * Writes a page.
   *
   * @param hits the page; the stream writes its first {@code count} hits
   * @param metadata written with the page by name, in formats that support it
   */
  List<BytesReference> writePage(
      ResponseHits hits, int count, Map<String, String> metadata, OutputFactory outputs)
      throws IOException;

  /** Returns the bytes after the last page; may be empty. */
  BytesReference writeEnd();

  /**
   * Returns the bytes that replace the rest after an error; empty in formats without a place for
   * it.
   */
  BytesReference writeError(String errorJson);
}
