package dev.weir.it.containers;

import dev.weir.testkit.compare.BundledCorpora;
import dev.weir.testkit.compare.ComparisonReport.Finding;
import dev.weir.testkit.compare.Difference;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.opensearch.Version;

/**
 * What the gateway may answer otherwise than a node of one version, as docs/versions.md says:
 * nothing if it is the version of the gateway's own classes.
 */
final class KnownDifferences {
  /** What not all versions know, in the error of one that does not. */
  private static final Pattern UNKNOWN_PART =
      Pattern.compile(
          "\\[_shard_doc]|\\[combined_fields]|\\binvalid id: \\[abc]|\\bVersion id 105 must");

  /** In it, later responses depend on writes with a parameter that 3.0 removed. */
  private static final String WITH_REMOVED_PARAMETER = "bulk-shapes";

  private final Version version;

  private KnownDifferences(Version version) {
    this.version = version;
  }

  static KnownDifferences ofVersion(String version) {
    return new KnownDifferences(Version.fromString(version));
  }

  /** Returns the corpora that make sense for the version. */
  List<String> corpora() {
    List<String> names = new ArrayList<>(BundledCorpora.names());
    if (version.before(Version.V_3_0_0)) {
      names.remove(WITH_REMOVED_PARAMETER);
    }
    return names;
  }

  /** Returns whether everything in which the responses to a request differ is known. */
  boolean explain(Finding finding) {
    return !version.equals(Version.CURRENT)
        && (finding.differences().stream().anyMatch(KnownDifferences::isAboutUnknownPart)
            || finding.differences().stream().allMatch(difference -> isKnown(finding, difference)));
  }

  private static boolean isAboutUnknownPart(Difference difference) {
    return UNKNOWN_PART.matcher(difference.reference()).find();
  }

  private static boolean isKnown(Finding finding, Difference difference) {
    return Stream.of(KnownDifference.values()).anyMatch(kind -> kind.explains(finding, difference));
  }
}
