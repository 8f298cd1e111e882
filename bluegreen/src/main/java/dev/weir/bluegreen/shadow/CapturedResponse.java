package dev.weir.bluegreen.shadow;

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
  private static final int BAD_REQUEST = 400;
  private static final int REQUEST_TIMEOUT = 408;
  private static final int TOO_MANY_REQUESTS = 429;
  private static final int SERVICE_UNAVAILABLE = 503;
  private static final int GATEWAY_TIMEOUT = 504;

  /** A response without content coding. */
  CapturedResponse(int status, String contentType, byte @Nullable [] body, long nanos) {
    this(status, contentType, "", body, nanos);
  }

  boolean isJson() {
    return contentType.startsWith("application/json");
  }

  boolean isError() {
    return status >= BAD_REQUEST;
  }

  /** Whether a status only reports overload or a timeout, not the result of the request. */
  static boolean isRejection(int status) {
    return status == REQUEST_TIMEOUT
        || status == TOO_MANY_REQUESTS
        || status == SERVICE_UNAVAILABLE
        || status == GATEWAY_TIMEOUT;
  }
}
