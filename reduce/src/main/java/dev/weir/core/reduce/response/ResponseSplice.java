package dev.weir.core.reduce.response;

import dev.weir.model.ResponseBody;
import dev.weir.model.SpliceableOutput;
import java.io.IOException;
import java.io.OutputStream;
import org.opensearch.core.common.io.stream.BytesStream;
import org.opensearch.core.xcontent.XContentBuilder;

/** Adds prepared bytes to JSON in progress. Pure; safe on any thread. */
public final class ResponseSplice {
  private ResponseSplice() {}

  /**
   * Adds a body to an open array. A client's response takes it without a copy; any other output
   * gets a copy.
   */
  public static void add(XContentBuilder builder, ResponseBody body) throws IOException {
    builder.flush();
    OutputStream out = builder.getOutputStream();
    if (out instanceof BytesStream stream && stream.bytes() instanceof SpliceableOutput response) {
      response.splice(body);
    } else {
      out.write(body.toByteArray());
    }
  }
}
