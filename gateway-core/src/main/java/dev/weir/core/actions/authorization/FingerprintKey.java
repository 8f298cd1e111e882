package dev.weir.core.actions.authorization;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;

/**
 * The secret of one process that goes into every fingerprint, so that a fingerprint in a heap dump
 * does not help to guess a password. Immutable.
 */
final class FingerprintKey {
  private static final int BYTES = 32;

  private final byte[] secret = new byte[BYTES];

  FingerprintKey() {
    new SecureRandom().nextBytes(secret);
  }

  /** Returns a new hash that has already read the secret. */
  MessageDigest newHash() {
    try {
      MessageDigest hash = MessageDigest.getInstance("SHA-256");
      hash.update(secret);
      return hash;
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
