package dev.weir.core.actions.authorization;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;

/**
 * The secret of one process that goes into every fingerprint, so that a fingerprint in a heap dump
 * does not help to guess a password. Safe on any thread.
 */
final class FingerprintKey {
  private static final int BYTES = 32;

  /** Has read the secret; never changed after that, only copied. */
  private final MessageDigest prepared;

  FingerprintKey() {
    byte[] secret = new byte[BYTES];
    new SecureRandom().nextBytes(secret);
    try {
      prepared = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
    prepared.update(secret);
  }

  /** Returns a new hash that has already read the secret. */
  MessageDigest newHash() {
    try {
      return (MessageDigest) prepared.clone();
    } catch (CloneNotSupportedException e) {
      throw new IllegalStateException("the JDK's SHA-256 can be copied", e);
    }
  }
}
