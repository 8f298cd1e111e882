package dev.weir.bluegreen.shadow;

import org.jspecify.annotations.Nullable;

/**
 * What is kept of an answer until it is compared.
 *
 * @param coding as {@code Content-Encoding} names it; empty for none
 * @param body null where it was too long to be kept
 * @param nanos from when the request was handled to when it was answered
 */
@SuppressWarnings("ArrayRecordComponent") // never compared as a whole
record CapturedResponse(
    int status, String contentType, String coding, byte @Nullable [] body, long nanos) {
  private static final int BAD_REQUEST = 400;
  private static final int REQUEST_TIMEOUT = 408;
  private static final int TOO_MANY_REQUESTS = 429;
  private static final int SERVICE_UNAVAILABLE = 503;
  private static final int GATEWAY_TIMEOUT = 504;

  /** One that is not coded. */
  CapturedResponse(int status, String contentType, byte @Nullable [] body, long nanos) {
    this(status, contentType, "", body, nanos);
  }

  boolean isJson() {
    return contentType.startsWith("application/json");
  }

  boolean isError() {
    return status >= BAD_REQUEST;
  }

  /** Whether a status says nothing of what was asked, but that there was no room or time for it. */
  static boolean isRejection(int status) {
    return status == REQUEST_TIMEOUT
        || status == TOO_MANY_REQUESTS
        || status == SERVICE_UNAVAILABLE
        || status == GATEWAY_TIMEOUT;
  }
}
