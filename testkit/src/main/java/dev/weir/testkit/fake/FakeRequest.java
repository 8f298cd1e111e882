package dev.weir.testkit.fake;

import java.util.Map;
import org.opensearch.core.common.bytes.BytesReference;

/**
 * A request frame that a fake node received.
 *
 * @param requestId the number that the answer must carry
 * @param status the frame's status bits
 * @param versionId the version in the frame's header
 * @param action what is asked for
 * @param headers the request headers
 * @param payload what follows the header, as it came
 */
public record FakeRequest(
    long requestId,
    byte status,
    int versionId,
    String action,
    Map<String, String> headers,
    BytesReference payload) {
  /** The action of the handshake of a connection. */
  public static final String TCP_HANDSHAKE = "internal:tcp/handshake";

  /** The action of the handshake between nodes. */
  public static final String NODE_HANDSHAKE = "internal:transport/handshake";

  private static final int HANDSHAKE_BIT = 8;
  private static final int COMPRESSED_BIT = 4;

  /** Whether it is the handshake of a connection. */
  public boolean isHandshake() {
    return (status & HANDSHAKE_BIT) != 0;
  }

  /** Whether its payload is compressed. */
  public boolean isCompressed() {
    return (status & COMPRESSED_BIT) != 0;
  }

  @Override
  public String toString() {
    return action + " #" + requestId + " (" + payload.length() + " bytes)";
  }
}
