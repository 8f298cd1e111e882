package dev.weir.core.actions.authorization;

import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.opensearch.common.hash.MessageDigests;

/**
 * Everything in a request from which a node may tell who sends it. Immutable.
 *
 * @param headers in the order received, with names in lower case
 * @param address the client's address
 * @param fingerprint a keyed hash of both; equal only for equal credentials
 */
record ClientCredentials(
    List<Map.Entry<String, String>> headers, SocketAddress address, String fingerprint) {
  /** A zero byte and a length. */
  private static final int LENGTH_BYTES = 1 + Integer.BYTES;

  /** Returns a hash of the credentials and a check. */
  String fingerprintWith(PermissionCheck check) {
    MessageDigest hash = MessageDigests.sha256();
    update(hash, fingerprint);
    update(hash, check.method());
    update(hash, check.uri());
    update(hash, check.body());
    return Base64.getEncoder().encodeToString(hash.digest());
  }

  /** Adds a text and its length: no two lists of texts have the same bytes. */
  static void update(MessageDigest hash, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    hash.update(ByteBuffer.allocate(LENGTH_BYTES).putInt(1, bytes.length).array());
    hash.update(bytes);
  }

  /** Hides the headers: they are secrets. */
  @Override
  public String toString() {
    return "ClientCredentials[" + headers.size() + " headers]";
  }
}
