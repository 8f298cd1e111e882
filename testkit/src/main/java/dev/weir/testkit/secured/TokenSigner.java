package dev.weir.testkit.secured;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Signs JSON web tokens (HS256) with the key of one cluster. */
public final class TokenSigner {
  private static final String ALGORITHM = "HmacSHA256";
  private static final int KEY_BYTES = 32;
  private static final Base64.Encoder URL = Base64.getUrlEncoder().withoutPadding();

  private final byte[] key;

  private TokenSigner(byte[] key) {
    this.key = key;
  }

  /** The signer whose key is in a file; makes the key at first use. */
  static TokenSigner open(Path file) throws IOException {
    if (!Files.exists(file)) {
      byte[] key = new byte[KEY_BYTES];
      new SecureRandom().nextBytes(key);
      Files.writeString(file, Base64.getEncoder().encodeToString(key));
    }
    return new TokenSigner(Base64.getDecoder().decode(Files.readString(file)));
  }

  /** The key as the plugin's configuration takes it. */
  String key() {
    return Base64.getEncoder().encodeToString(key);
  }

  /**
   * A signed token.
   *
   * @param user the user's name
   * @param roles the user's backend roles, with commas
   * @param expires when the token becomes invalid; the plugin allows 30 s more
   */
  public String sign(String user, String roles, Instant expires) {
    String claims =
        "{\"sub\":\"%s\",\"roles\":\"%s\",\"exp\":%d}"
            .formatted(user, roles, expires.getEpochSecond());
    String signed = encode("{\"alg\":\"HS256\",\"typ\":\"JWT\"}") + "." + encode(claims);
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(new SecretKeySpec(key, ALGORITHM));
      return signed
          + "."
          + URL.encodeToString(mac.doFinal(signed.getBytes(StandardCharsets.US_ASCII)));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JVM has " + ALGORITHM, e);
    }
  }

  private static String encode(String json) {
    return URL.encodeToString(json.getBytes(StandardCharsets.UTF_8));
  }
}
