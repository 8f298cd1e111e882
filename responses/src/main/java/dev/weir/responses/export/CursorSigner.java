package dev.weir.responses.export;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.opensearch.rest.RestRequest;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Signs cursors with HMAC-SHA256, so that a client can send back only a cursor that it got, to the
 * path that it got it from, with the same credentials. A cursor names its key by a hash, so that
 * the error can say whether another gateway signed it. Safe on any thread.
 */
final class CursorSigner {
  private static final Logger LOGGER = LoggerFactory.getLogger(CursorSigner.class);
  private static final String ALGORITHM = "HmacSHA256";
  private static final int KEY_BYTES = 32;

  /** Long enough that guessing is hopeless, short enough for a trailer. */
  private static final int SIGNATURE_BYTES = 16;

  /** Enough to tell the keys of some gateways apart; the signature alone proves anything. */
  private static final int KEY_ID_BYTES = 4;

  private static final byte[] KEY_ID_CONTENT = "key id".getBytes(StandardCharsets.UTF_8);

  private final SecretKeySpec key;
  private final byte[] keyId;
  private final boolean isShared;
  private final AtomicBoolean hasWarned = new AtomicBoolean();

  private CursorSigner(byte[] key, boolean isShared) {
    this.key = new SecretKeySpec(key, ALGORITHM);
    this.isShared = isShared;
    this.keyId = Arrays.copyOf(mac().doFinal(KEY_ID_CONTENT), KEY_ID_BYTES);
  }

  private Mac mac() {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(key);
      return mac;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has HMAC-SHA256", e);
    }
  }

  /**
   * Creates a signer.
   *
   * @param secret shared by all gateways whose cursors this gateway accepts; empty for a random one
   */
  static CursorSigner of(String secret) {
    if (!secret.isEmpty()) {
      return new CursorSigner(secret.getBytes(StandardCharsets.UTF_8), true);
    }
    byte[] random = new byte[KEY_BYTES];
    new SecureRandom().nextBytes(random);
    return new CursorSigner(random, false);
  }

  /**
   * Returns the seal of the cursors of a request: of its path, and of the client that sends it.
   *
   * @param identityHeaders in which trusted proxies or the gateway name users, in lower case
   */
  Seal sealOf(RestRequest request, List<String> identityHeaders) {
    return sealOf(request.rawPath(), request.getHeaders(), identityHeaders);
  }

  Seal sealOf(String path, Map<String, List<String>> headers, List<String> identityHeaders) {
    return new Seal(path + '\n' + CursorOwner.of(headers, identityHeaders));
  }

  /**
   * Operators learn it once for each secret: clients may send such cursors as often as they like.
   */
  private IllegalArgumentException foreign() {
    String got =
        isShared
            ? "got a cursor that was signed with another responses.export.cursor-secret"
            : "got a cursor of another gateway or cluster, or from before a restart";
    if (hasWarned.compareAndSet(false, true)) {
      LOGGER.warn(
          "{}; clients can continue exports on any gateway if all have the same"
              + " responses.export.cursor-secret",
          got);
    }
    return new IllegalArgumentException(
        got
            + " (expected: a cursor of this gateway, or the same responses.export.cursor-secret on"
            + " all gateways; start the export again)");
  }

  /** Signs and checks the cursors of one request. */
  final class Seal {
    private final byte[] binding;

    private Seal(String binding) {
      this.binding = binding.getBytes(StandardCharsets.UTF_8);
    }

    /** Encodes key, signature and content as letters, digits, {@code -} and {@code _}. */
    String seal(byte[] content) {
      byte[] sealed =
          ByteBuffer.allocate(KEY_ID_BYTES + SIGNATURE_BYTES + content.length)
              .put(keyId)
              .put(sign(content))
              .put(content)
              .array();
      return Base64.getUrlEncoder().withoutPadding().encodeToString(sealed);
    }

    /**
     * Returns the content of a sealed text.
     *
     * @throws IllegalArgumentException if another request, client or gateway sealed it, or nobody
     */
    byte[] open(String text) {
      byte[] sealed;
      try {
        sealed = Base64.getUrlDecoder().decode(text);
      } catch (IllegalArgumentException e) {
        sealed = new byte[0];
      }
      int contentStart = KEY_ID_BYTES + SIGNATURE_BYTES;
      if (sealed.length <= contentStart) {
        throw new IllegalArgumentException(
            "got a cursor that can't be read (expected: one of an export, whole)");
      }
      if (!Arrays.equals(keyId, 0, KEY_ID_BYTES, sealed, 0, KEY_ID_BYTES)) {
        throw foreign();
      }
      byte[] content = Arrays.copyOfRange(sealed, contentStart, sealed.length);
      byte[] signature = Arrays.copyOfRange(sealed, KEY_ID_BYTES, contentStart);
      if (!MessageDigest.isEqual(sign(content), signature)) {
        throw new IllegalArgumentException(
            "got a cursor of another export or client, or one that was changed (expected: one of"
                + " the same path, with the same credentials)");
      }
      return content;
    }

    private byte[] sign(byte[] content) {
      Mac mac = mac();
      mac.update(binding);
      mac.update((byte) 0);
      return Arrays.copyOf(mac.doFinal(content), SIGNATURE_BYTES);
    }
  }
}
