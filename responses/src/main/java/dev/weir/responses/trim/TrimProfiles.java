package dev.weir.responses.trim;

import dev.weir.config.policy.TrimmingPolicy;
import dev.weir.config.policy.TrimmingPolicy.Part;
import dev.weir.config.policy.TrimmingPolicy.Profile;
import dev.weir.config.policy.TrimmingPolicy.Rule;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.opensearch.common.regex.Regex;

/** The trimming profiles and rules of one policy. Immutable. */
final class TrimProfiles {
  /** The profile name of requests that list parts, or several profiles. */
  static final String CUSTOM_PROFILE = "requested";

  private static final String NONE = "none";
  private static final Map<String, Part> PARTS = parts();

  private final TrimmingPolicy policy;

  /**
   * The dropped parts of a response.
   *
   * @param name the profile's name
   * @param drop the dropped parts
   * @param includes as {@code _source_includes}
   * @param excludes as {@code _source_excludes}
   */
  record TrimSelection(String name, Set<Part> drop, List<String> includes, List<String> excludes) {
    /** Keeps the parts that a client requires. */
    TrimSelection withoutDropping(Set<Part> needs) {
      if (needs.isEmpty()) {
        return this;
      }
      Set<Part> rest = copyParts(drop);
      rest.removeAll(needs);
      boolean all = needs.contains(Part.SOURCE);
      return new TrimSelection(name, rest, all ? List.of() : includes, all ? List.of() : excludes);
    }
  }

  TrimProfiles(TrimmingPolicy policy) {
    this.policy = policy;
  }

  private static Map<String, Part> parts() {
    Map<String, Part> parts = new LinkedHashMap<>();
    for (Part part : Part.values()) {
      parts.put(part.name().toLowerCase(Locale.ROOT).replace('_', '-'), part);
    }
    return parts;
  }

  private static Set<Part> copyParts(Set<Part> parts) {
    Set<Part> copy = EnumSet.noneOf(Part.class);
    copy.addAll(parts);
    return copy;
  }

  Set<String> profileNames() {
    return policy.profiles().keySet();
  }

  /** Returns true if responses are trimmed only on request. */
  boolean hasNoRules() {
    return policy.rules().isEmpty();
  }

  /**
   * Parses a request's {@code trim} parameter; null for no trimming.
   *
   * @throws IllegalArgumentException if it names neither a profile nor a part
   */
  @Nullable TrimSelection requestedSelection(String words) {
    if (words.equals(NONE)) {
      return null;
    }
    Profile only = policy.profiles().get(words);
    if (only != null) {
      return toSelection(words, only);
    }
    Set<Part> drop = EnumSet.noneOf(Part.class);
    List<String> includes = new ArrayList<>();
    List<String> excludes = new ArrayList<>();
    for (String word : words.split(",", -1)) {
      Profile profile = policy.profiles().get(word);
      Part part = PARTS.get(word);
      if (profile != null) {
        drop.addAll(profile.drop());
        includes.addAll(profile.sourceIncludes());
        excludes.addAll(profile.sourceExcludes());
      } else if (part != null) {
        drop.add(part);
      } else {
        throw new IllegalArgumentException(
            "got [trim] with [" + word + "] (expected: " + describeExpected() + ")");
      }
    }
    return new TrimSelection(CUSTOM_PROFILE, drop, includes, excludes);
  }

  private String describeExpected() {
    String parts = String.join(", ", PARTS.keySet());
    return policy.profiles().isEmpty()
        ? "none, or of " + parts
        : "none, or of " + String.join(", ", policy.profiles().keySet()) + ", " + parts;
  }

  /**
   * Returns the trimming of the first matching rule, for a request without {@code trim}; null for
   * none.
   *
   * @param userAgent the client's User-Agent; empty if missing
   * @param indices the indices as the request names them
   */
  @Nullable TrimSelection selectionByRules(String userAgent, String tenant, String[] indices) {
    for (Rule rule : policy.rules()) {
      Profile profile = policy.profiles().get(rule.profile());
      if (profile != null && matches(rule, userAgent, tenant, indices)) {
        return toSelection(rule.profile(), profile)
            .withoutDropping(ClientRequiredParts.requiredParts(userAgent));
      }
    }
    return null;
  }

  private static boolean matches(Rule rule, String userAgent, String tenant, String[] indices) {
    boolean named = !rule.userAgents().isEmpty() || !rule.tenants().isEmpty();
    return named
        && (rule.userAgents().isEmpty()
            || (!userAgent.isEmpty() && Regex.simpleMatch(rule.userAgents(), userAgent)))
        && (rule.tenants().isEmpty() || Regex.simpleMatch(rule.tenants(), tenant))
        && (rule.indices().isEmpty() || matchesAll(rule.indices(), indices));
  }

  private static boolean matchesAll(List<String> patterns, String[] names) {
    for (String name : names) {
      if (!Regex.simpleMatch(patterns, name)) {
        return false;
      }
    }
    return names.length > 0;
  }

  private static TrimSelection toSelection(String name, Profile profile) {
    Set<Part> drop = EnumSet.noneOf(Part.class);
    drop.addAll(profile.drop());
    return new TrimSelection(name, drop, profile.sourceIncludes(), profile.sourceExcludes());
  }
}
