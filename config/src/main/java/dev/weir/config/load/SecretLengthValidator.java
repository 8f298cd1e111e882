package dev.weir.config.load;

/** Rejects secrets that can be guessed. */
final class SecretLengthValidator {
  private static final int MIN_LENGTH = 16;

  private SecretLengthValidator() {}

  /**
   * Checks a secret without showing it.
   *
   * @param secret empty for none
   * @return whether it is long enough, or empty
   */
  static boolean validate(String key, String secret, SectionBinder binder) {
    if (secret.isEmpty() || secret.length() >= MIN_LENGTH) {
      return true;
    }
    binder.report(
        key, "got " + secret.length() + " characters (expected: " + MIN_LENGTH + " or more)");
    return false;
  }
}
