package dev.weir.bluegreen.shadow;

import dev.weir.model.HttpStatus;
import org.jspecify.annotations.Nullable;

/**
 * The part of a response that is kept for the comparison.
 *
 * @param coding the {@code Content-Encoding}; empty if there is none
 * @param body null if it was too long
 * @param nanos from the handling of the request to the response
 */
@SuppressWarnings("ArrayRecordComponent") // never compared as a whole
record CapturedResponse(
    int status, String contentType, String coding, byte @Nullable [] body, long nanos) {

  /** A response without content coding. */
  CapturedResponse(int status, String contentType, byte @Nullable [] body, long nanos) {
    this(status, contentType, "", body, nanos);
  }

  boolean isJson() {
    return contentType.startsWith("application/json");
  }

  boolean isError() {
    return status >= HttpStatus.BAD_REQUEST;
  }

  /** Whether a status only reports overload or a timeout, not the result of the request. */
  static boolean isRejection(int status) {
    return status == HttpStatus.REQUEST_TIMEOUT
        || status == HttpStatus.TOO_MANY_REQUESTS
        || status == HttpStatus.SERVICE_UNAVAILABLE
        || status == HttpStatus.GATEWAY_TIMEOUT;
  }
}
