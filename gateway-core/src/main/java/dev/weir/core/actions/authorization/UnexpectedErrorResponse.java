package dev.weir.core.actions.authorization;

import dev.weir.model.BufferedResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.opensearch.common.xcontent.json.JsonXContent;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.xcontent.XContentBuilder;

/** The response to a request that a defect ended. */
final class UnexpectedErrorResponse {
  private static final int INTERNAL_ERROR = 500;

  private UnexpectedErrorResponse() {}

  static BufferedResponse of(Throwable failure) {
    String reason = String.valueOf(failure);
    try (XContentBuilder json = JsonXContent.contentBuilder()) {
      json.startObject().startObject("error").startArray("root_cause").startObject();
      json.field("type", "exception").field("reason", reason);
      json.endObject().endArray().field("type", "exception").field("reason", reason).endObject();
      json.field("status", INTERNAL_ERROR).endObject();
      return new BufferedResponse(
          INTERNAL_ERROR,
          "application/json; charset=UTF-8",
          List.of(),
          List.of(ByteBuffer.wrap(BytesReference.toBytes(BytesReference.bytes(json)))),
          () -> {});
    } catch (IOException e) {
      throw new UncheckedIOException("can't write to memory", e);
    }
  }
}
