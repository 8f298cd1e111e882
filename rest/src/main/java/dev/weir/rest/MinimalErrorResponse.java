package dev.weir.rest;

import dev.weir.model.BufferedResponse;
import dev.weir.model.HttpStatus;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** The response to a request whose failure could not be written. */
final class MinimalErrorResponse {
  private static final String CAUSE =
      "\"type\":\"exception\",\"reason\":\"the gateway can't write the failure\"";
  private static final String BODY =
      "{\"error\":{\"root_cause\":[{" + CAUSE + "}]," + CAUSE + "},\"status\":500}";

  private MinimalErrorResponse() {}

  /** Returns an error response that needs no memory to write. */
  static BufferedResponse create(Runnable onReleased) {
    return new BufferedResponse(
        HttpStatus.INTERNAL_SERVER_ERROR,
        "application/json; charset=UTF-8",
        List.of(),
        List.of(ByteBuffer.wrap(BODY.getBytes(StandardCharsets.UTF_8))),
        onReleased);
  }
}
