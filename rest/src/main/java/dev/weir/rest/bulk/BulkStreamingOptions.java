package dev.weir.rest.bulk;

import dev.weir.model.BodySectionSplitter;
import dev.weir.model.BodyStreamingOptions;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.opensearch.common.xcontent.XContentType;
import org.opensearch.rest.RestUtils;

/**
 * The options of streaming bulks.
 *
 * @param thresholdBytes bulks longer than this are streamed
 * @param sectionBytes the target size of a section
 * @param maxBufferedBytes the maximum bytes of one bulk in the gateway at a time
 */
public record BulkStreamingOptions(long thresholdBytes, int sectionBytes, long maxBufferedBytes)
    implements BodyStreamingOptions {
  /** The action name of bulk requests. */
  public static final String ACTION = "bulk";

  /**
   * Returns true if a bulk with these parameters can be streamed. It cannot if all of it goes
   * through an ingest pipeline, which a node runs, or if each section would wait for its own
   * refresh.
   *
   * @param uri path and query as sent
   */
  public static boolean isSupported(String uri) {
    int query = uri.indexOf('?');
    if (query < 0) {
      return true;
    }
    Map<String, String> parameters = new HashMap<>();
    try {
      RestUtils.decodeQueryString(uri, query + 1, parameters);
    } catch (IllegalArgumentException undecodable) {
      return false;
    }
    return !parameters.containsKey("pipeline") && !"wait_for".equals(parameters.get("refresh"));
  }

  @Override
  public boolean canSplit(@Nullable String contentType) {
    return BodyMediaType.parse(contentType) == XContentType.JSON;
  }

  @Override
  public BodySectionSplitter newSplitter() {
    return new BulkSectionSplitter();
  }
}
