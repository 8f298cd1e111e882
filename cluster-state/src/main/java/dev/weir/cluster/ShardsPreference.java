package dev.weir.cluster;

import org.jspecify.annotations.Nullable;
import org.opensearch.cluster.routing.Preference;

/**
 * A preference that names shards and has a client's own string for the choice of copies, such as
 * {@code _shards:0,2|session-7}. A node rejects it; it takes both parts alone.
 *
 * @param shards the preference for the shards, such as {@code _shards:0,2}
 * @param custom the client's own string
 */
record ShardsPreference(String shards, String custom) {
  private static final String PREFIX = Preference.SHARDS.type() + ":";

  /** Parses a preference; returns null for any other one. */
  static @Nullable ShardsPreference parse(@Nullable String preference) {
    if (preference == null || !preference.startsWith(PREFIX)) {
      return null;
    }
    int bar = preference.indexOf('|');
    return bar < 0 || bar == preference.length() - 1 || preference.charAt(bar + 1) == '_'
        ? null
        : new ShardsPreference(preference.substring(0, bar), preference.substring(bar + 1));
  }
}
