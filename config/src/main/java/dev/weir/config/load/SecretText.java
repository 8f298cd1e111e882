package dev.weir.config.load;

import java.util.regex.Pattern;

/** Recognizes text that may be a secret, so that no message quotes it. Errs towards secrecy. */
final class SecretText {
  private static final Pattern NAME =
      Pattern.compile(
          "password|passphrase|passwd|\\bpwd\\b|secret|token|credential|bearer\\s|cookie|signature"
              + "|authorization\\s*:\\s*+(?!detect|delegate|gateway|none)"
              + "|(?:api|access|private|encryption|signing|shared|account|master)[-_ ]?key"
              + "|\\bkey\\s*[:=]|-----(?:BEGIN|END)\\b",
          Pattern.CASE_INSENSITIVE);

  /** A URL with a user's password. */
  private static final Pattern USER_INFO = Pattern.compile("://[^/\\s\"']*:[^/\\s\"']*@");

  /** Letters and digits in a mixture that no word has: a key or a hash. */
  private static final Pattern RANDOM =
      Pattern.compile(
          "(?<![A-Za-z0-9])(?=[A-Za-z]*\\d)(?=\\d*[A-Za-z])[A-Za-z0-9]{16,}"
              + "|(?<![A-Za-z0-9+/])(?=[A-Za-z+/]*\\d)[A-Za-z0-9+/]{40,}");

  private SecretText() {}

  /** Returns whether a line of a file, or a value, may contain a secret. */
  static boolean mayContainSecret(String text) {
    return NAME.matcher(text).find()
        || USER_INFO.matcher(text).find()
        || RANDOM.matcher(text).find();
  }
}
