package dev.weir.responses.columnar;

import dev.weir.rest.SearchResponseFormat.OutputFactory;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.opensearch.core.common.bytes.BytesReference;

/** Hits as a stream of rows, page by page. Used by one thread. */
public interface TableStream {
  /** The media type of the answer. */
  String contentType();

  /** What comes before the first page; may be empty. */
  BytesReference writeHeader(OutputFactory outputs) throws IOException;

  /**
   * A page.
   *
   * @param hits the page, of which {@code count} are told
   * @param told what is told with it, by name; where the form has a place for that
   */
  List<BytesReference> writePage(
      ResponseHits hits, int count, Map<String, String> told, OutputFactory outputs)
      throws IOException;

  /** What comes behind the last page; may be empty. */
  BytesReference writeEnd();

  /** What comes where the rest can't: an error, for forms that have a place for it. */
  BytesReference writeError(String errorJson);
}
