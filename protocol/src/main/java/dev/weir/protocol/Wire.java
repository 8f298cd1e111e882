package dev.weir.protocol;

/**
 * The layout of a frame, as OpenSearch's {@code TcpHeader} and {@code TransportStatus} have it.
 *
 * <pre>
 *   'E' 'S' | int32 length of the rest | int64 request id | byte status | int32 version
 *   | int32 length of the variable header | variable header | payload
 * </pre>
 *
 * A length of -1 is a keep-alive ping, which ends there.
 */
public final class Wire {
  /** Marker and length: the bytes that the length does not count. */
  public static final int PREFIX = 6;

  /** Everything before the variable header. */
  public static final int HEAD = 23;

  /** What the length of the smallest frame is. */
  static final int LEAST_LENGTH = HEAD - PREFIX;

  /** Where the number is that ties a response to its request. */
  public static final int REQUEST_ID_AT = 6;

  /** Where the bits are that say what the frame is. */
  public static final int STATUS_AT = 14;

  /** Where the length of the variable header is. */
  public static final int VARIABLE_LENGTH_AT = 19;

  static final int LENGTH_AT = 2;
  static final int VERSION_AT = 15;

  /** What every frame begins with. */
  public static final short MARKER = ('E' << 8) | 'S';

  static final int PING = -1;

  /** The bit of the status that a response has. */
  public static final int RESPONSE = 1;

  static final int ERROR = 2;
  static final int COMPRESSED = 4;
  static final int HANDSHAKE = 8;

  private Wire() {}
}
