package dev.weir.testkit.secured.compare;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Sorts buckets of significant terms that follow each other with equal scores: their order is that
 * in which shards happened to respond. Pure.
 */
final class SignificantTermsOrder {
  private static final String BUCKET = "\\{[^{}\\[\\]]*\"score\"[^{}\\[\\]]*}";
  private static final Pattern BUCKETS =
      Pattern.compile("(?<=\"buckets\":\\[)" + BUCKET + "(?:," + BUCKET + ")+(?=])");
  private static final Pattern BETWEEN_BUCKETS = Pattern.compile("(?<=}),(?=\\{)");
  private static final Pattern SCORE = Pattern.compile("\"score\":([^,}]+)");

  private SignificantTermsOrder() {}

  static String sortEqualScores(String body) {
    return BUCKETS.matcher(body).replaceAll(SignificantTermsOrder::sort);
  }

  private static String sort(MatchResult found) {
    List<String> sorted = new ArrayList<>();
    List<String> equal = new ArrayList<>();
    for (String bucket : BETWEEN_BUCKETS.split(found.group())) {
      if (!equal.isEmpty() && !score(equal.getFirst()).equals(score(bucket))) {
        Collections.sort(equal);
        sorted.addAll(equal);
        equal.clear();
      }
      equal.add(bucket);
    }
    Collections.sort(equal);
    sorted.addAll(equal);
    return Matcher.quoteReplacement(String.join(",", sorted));
  }

  private static String score(String bucket) {
    Matcher score = SCORE.matcher(bucket);
    return score.find() ? score.group(1) : "";
  }
}
