package dev.weir.cluster.read;

import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.opensearch.core.common.io.stream.Writeable;

/**
 * Decodes a list of named parts of a response, such as the metadata of all indices, and reuses the
 * object of each part that has the same bytes as in the previous response. Parts have no length on
 * the wire: those of a known part are skipped, others are decoded to find their end.
 *
 * <p>Nodes write parts in the order of a hash table, which is nearly the same in each response. So
 * the part that followed the previous one is compared first, then the part with the same name.
 * Confined to one thread.
 *
 * @param <T> a part, which begins with its name on the wire; immutable
 */
final class ReusedParts<T> {
  private final Writeable.Reader<T> reader;
  private final Function<T, String> naming;
  private final StateReadCounts counts;
  private final SectionImage image = new SectionImage();
  private int[] starts = {0};
  private List<T> parts = List.of();
  private @Nullable Map<String, Integer> positions;
  private BucketedMap<T> byName = BucketedMap.empty();

  /**
   * Creates a decoder without a previous response.
   *
   * @param naming returns the name of a part
   */
  ReusedParts(Writeable.Reader<T> reader, Function<T, String> naming, StateReadCounts counts) {
    this.reader = reader;
    this.naming = naming;
    this.counts = counts;
  }

  /** What one response has, before it replaces the previous one. */
  private final class Reading {
    private final int[] starts;
    private final List<T> parts;
    private final Map<String, T> changed = new HashMap<>();
    private final BitSet found;
    private int expected;
    private boolean isSameLayout;
    private int decoded;

    Reading(int count) {
      starts = new int[count + 1];
      parts = new ArrayList<>(count);
      found = new BitSet(ReusedParts.this.parts.size());
      isSameLayout = count == ReusedParts.this.parts.size();
    }
  }

  /**
   * Reads the list at the current position; returns the map of the previous response if nothing
   * changed. After an exception the previous response is still known.
   */
  BucketedMap<T> read(ResponseInput in) throws IOException {
    int count = in.stream().readVInt();
    if (count < 0 || count > in.stream().available()) {
      throw new IOException("got " + count + " parts (expected: at most one for each byte)");
    }
    int first = in.position();
    Reading reading = new Reading(count);
    for (int i = 0; i < count; i++) {
      reading.starts[i] = in.position() - first;
      readPart(in, reading, i);
    }
    reading.starts[count] = in.position() - first;
    counts.addParts(count - reading.decoded, reading.decoded);
    if (!reading.isSameLayout) {
      image.replace(in, first);
      starts = reading.starts;
      positions = null;
    }
    byName = byName.with(reading.changed, findRemoved(reading));
    parts = reading.parts;
    return byName;
  }

  /** Returns the parts that were read last. */
  BucketedMap<T> newest() {
    return byName;
  }

  private void readPart(ResponseInput in, Reading reading, int i) throws IOException {
    int known = findKnown(in, reading.expected);
    if (known >= 0 && image.isNextIn(in, starts[known], starts[known + 1])) {
      in.skip(starts[known + 1] - starts[known]);
      reading.parts.add(parts.get(known));
      reading.isSameLayout &= known == i;
    } else {
      T decoded = reader.read(in.stream());
      reading.decoded++;
      reading.isSameLayout = false;
      if (known >= 0 && decoded.equals(parts.get(known))) {
        reading.parts.add(parts.get(known)); // sets are written in any order
      } else {
        reading.parts.add(decoded);
        reading.changed.put(naming.apply(decoded), decoded);
      }
    }
    if (known >= 0) {
      reading.found.set(known);
      reading.expected = known + 1;
    }
  }

  /** Returns the position of the next part in the previous response; -1 if that lacks it. */
  private int findKnown(ResponseInput in, int expected) throws IOException {
    if (expected < parts.size() && image.isNextIn(in, starts[expected], starts[expected + 1])) {
      return expected;
    }
    Map<String, Integer> all = positions;
    if (all == null) {
      all = HashMap.newHashMap(parts.size());
      for (int i = 0; i < parts.size(); i++) {
        all.put(naming.apply(parts.get(i)), i);
      }
      positions = all;
    }
    return all.getOrDefault(in.peekString(), -1);
  }

  private List<String> findRemoved(Reading reading) {
    if (reading.found.cardinality() == parts.size()) {
      return List.of();
    }
    List<String> removed = new ArrayList<>();
    for (int i = reading.found.nextClearBit(0);
        i < parts.size();
        i = reading.found.nextClearBit(i + 1)) {
      removed.add(naming.apply(parts.get(i)));
    }
    return removed;
  }
}
