package dev.weir.model;

/** The status codes of HTTP that the gateway tells apart or responds with. */
public final class HttpStatus {
  public static final int OK = 200;
  public static final int BAD_REQUEST = 400;
  public static final int UNAUTHORIZED = 401;
  public static final int FORBIDDEN = 403;
  public static final int NOT_FOUND = 404;
  public static final int REQUEST_TIMEOUT = 408;
  public static final int TOO_MANY_REQUESTS = 429;
  public static final int INTERNAL_SERVER_ERROR = 500;
  public static final int SERVICE_UNAVAILABLE = 503;
  public static final int GATEWAY_TIMEOUT = 504;

  private HttpStatus() {}
}
