package dev.weir.model;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Computes SHA-256 digests. Keeps no state. */
public final class Sha256 {
  private Sha256() {}

  /** Returns the digest of bytes. */
  public static byte[] digest(byte[] bytes) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(bytes);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("got a JDK without SHA-256 (expected: every JDK has it)", e);
    }
  }

  /** Returns the digest of a text in UTF-8. */
  public static byte[] digest(String text) {
    return digest(text.getBytes(StandardCharsets.UTF_8));
  }

  /** Returns the digest of bytes in hexadecimal digits. */
  public static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(digest(bytes));
  }

  /** Returns the digest of a text in UTF-8, in hexadecimal digits. */
  public static String hex(String text) {
    return HexFormat.of().formatHex(digest(text));
  }
}
