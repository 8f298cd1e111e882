package dev.weir.responses.export;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Locale;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;
import org.opensearch.rest.RestRequest;

/**
 * Signs cursors with HMAC-SHA256, so that a client can send back only a cursor that it got, to the
 * path that it got it from, with the same credentials. Safe on any thread.
 */
final class CursorSigner {
  private static final String ALGORITHM = "HmacSHA256";
  private static final int KEY_BYTES = 32;

  /** Long enough that guessing is hopeless, short enough for a trailer. */
  private static final int SIGNATURE_BYTES = 16;

  private final SecretKeySpec key;

  private CursorSigner(byte[] key) {
    this.key = new SecretKeySpec(key, ALGORITHM);
  }

  /**
   * Creates a signer.
   *
   * @param secret shared by all gateways whose cursors this gateway accepts; empty for a random one
   */
  static CursorSigner of(String secret) {
    if (!secret.isEmpty()) {
      return new CursorSigner(secret.getBytes(StandardCharsets.UTF_8));
    }
    byte[] random = new byte[KEY_BYTES];
    new SecureRandom().nextBytes(random);
    return new CursorSigner(random);
  }

  /** Returns the seal of the cursors of a request: of its path, and of who sends it. */
  Seal sealOf(RestRequest request) {
    return sealOf(request.rawPath(), request.header("Authorization"));
  }

  Seal sealOf(String path, @Nullable String authorization) {
    return new Seal(path + '\n' + identity(authorization));
  }

  /** The user of HTTP Basic, whose password may change; otherwise a hash of the credentials. */
  private static String identity(@Nullable String authorization) {
    if (authorization == null) {
      return "";
    }
    if (authorization.toLowerCase(Locale.ROOT).startsWith("basic ")) {
      try {
        byte[] pair = Base64.getDecoder().decode(authorization.substring(6).strip());
        String text = new String(pair, StandardCharsets.UTF_8);
        return "user " + text.substring(0, Math.max(0, text.indexOf(':')));
      } catch (IllegalArgumentException invalid) {
        // hashed below
      }
    }
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256")
              .digest(authorization.getBytes(StandardCharsets.UTF_8));
      return "hash " + HexFormat.of().formatHex(digest);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  /** Signs and checks the cursors of one request. */
  final class Seal {
    private final byte[] binding;

    private Seal(String binding) {
      this.binding = binding.getBytes(StandardCharsets.UTF_8);
    }

    /** Encodes content and signature as letters, digits, {@code -} and {@code _}. */
    String seal(byte[] content) {
      byte[] sealed = Arrays.copyOf(sign(content), SIGNATURE_BYTES + content.length);
      System.arraycopy(content, 0, sealed, SIGNATURE_BYTES, content.length);
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
      if (sealed.length <= SIGNATURE_BYTES) {
        throw new IllegalArgumentException(
            "got a cursor that can't be read (expected: one of an export, whole)");
      }
      byte[] content = Arrays.copyOfRange(sealed, SIGNATURE_BYTES, sealed.length);
      if (!MessageDigest.isEqual(sign(content), Arrays.copyOf(sealed, SIGNATURE_BYTES))) {
        throw new IllegalArgumentException(
            "got a cursor of another export, client or gateway, or one that was changed (expected:"
                + " one of the same path, with the same credentials; gateways that share cursors"
                + " need the same responses.export.cursor-secret)");
      }
      return content;
    }

    private byte[] sign(byte[] content) {
      try {
        Mac mac = Mac.getInstance(ALGORITHM);
        mac.init(key);
        mac.update(binding);
        mac.update((byte) 0);
        return Arrays.copyOf(mac.doFinal(content), SIGNATURE_BYTES);
      } catch (GeneralSecurityException e) {
        throw new IllegalStateException("every JDK has HMAC-SHA256", e);
      }
    }
  }
}
