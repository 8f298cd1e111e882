package dev.weir.bench;

import dev.weir.client.JsonReader;
import dev.weir.client.JsonTree;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;

/** What a gateway holds for its requests: the section {@code in_flight} of {@code /stats}. */
public final class InFlightStats {
  private InFlightStats() {}

  /**
   * Returns the counts by name; none if the text has no such section.
   *
   * @param stats the page
   */
  public static Map<String, Double> read(String stats) {
    Map<String, Double> counts = new LinkedHashMap<>();
    try {
      JsonTree section = JsonReader.readObject(stats).child("in_flight");
      section.forEachMember((name, member) -> {
        if (member.value() instanceof Number count) {
          counts.put(name, count.doubleValue());
        }
      });
    } catch (IOException noObject) {
      return Map.of();
    }
    return counts;
  }

  /** Returns a count; NaN if the text does not have it, so that it misses every bound. */
  public static double count(String stats, String name) {
    return read(stats).getOrDefault(name, Double.NaN);
  }
}
