package dev.weir.responses.export;

import java.io.IOException;
import java.io.UncheckedIOException;
import org.opensearch.ExceptionsHelper;
import org.opensearch.OpenSearchException;
import org.opensearch.common.xcontent.XContentType;
import org.opensearch.core.xcontent.ToXContent;
import org.opensearch.core.xcontent.XContentBuilder;

/** Formats a failure as one line of JSON, as OpenSearch does for an error response. */
final class ErrorLineFormatter {
  private ErrorLineFormatter() {}

  static String format(Exception failure) {
    try (XContentBuilder json = XContentBuilder.builder(XContentType.JSON.xContent())) {
      json.startObject();
      OpenSearchException.generateFailureXContent(json, ToXContent.EMPTY_PARAMS, failure, true);
      json.field("status", ExceptionsHelper.status(failure).getStatus());
      json.endObject();
      return json.toString();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
