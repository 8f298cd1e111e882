package dev.weir.admission.head;

import dev.weir.model.Sha256;
import java.util.HexFormat;

/** Makes names of bounded length, safe to display, from text that clients send. */
public final class ClientNameSanitizer {
  /** The longest name, in characters. */
  public static final int MAX_LENGTH = 64;

  private static final int DIGEST_BYTES = 8;

  private ClientNameSanitizer() {}

  /** Returns the text itself if it is short and printable, otherwise its beginning and a digest. */
  public static String sanitize(String text) {
    if (text.length() <= MAX_LENGTH && text.chars().noneMatch(Character::isISOControl)) {
      return text;
    }
    StringBuilder name = new StringBuilder(MAX_LENGTH);
    int kept = MAX_LENGTH - 2 * DIGEST_BYTES - 1;
    for (int i = 0; i < Math.min(kept, text.length()); i++) {
      char c = text.charAt(i);
      name.append(Character.isISOControl(c) || Character.isSurrogate(c) ? '?' : c);
    }
    return name.append('~').append(digest(text)).toString();
  }

  /** The first 8 bytes of the text's SHA-256 in hex: tells names apart and reveals nothing. */
  static String digest(String text) {
    return HexFormat.of().formatHex(Sha256.digest(text), 0, DIGEST_BYTES);
  }
}
