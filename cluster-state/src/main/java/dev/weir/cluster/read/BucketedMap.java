package dev.weir.cluster.read;

import java.util.AbstractMap;
import java.util.AbstractSet;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An immutable map whose changed copies share most of their entries: a change copies the table of
 * buckets and the one bucket that it concerns, some kilobytes with 10,000 entries. Safe on any
 * thread.
 *
 * @param <V> values
 */
public final class BucketedMap<V> extends AbstractMap<String, V> {
  private static final int ENTRIES_PER_BUCKET = 16;
  private static final int MIN_BUCKETS = 4;
  private static final int MAX_BUCKETS = 1 << 12;

  /** Entries may be this many times more or fewer before the number of buckets changes. */
  private static final int MAX_IMBALANCE = 8;

  /** Spreads hashes by their high bits; the buckets themselves use the low ones. */
  private static final int GOLDEN_RATIO = 0x9E3779B9;

  private static final BucketedMap<?> EMPTY = new BucketedMap<>(newBuckets(MIN_BUCKETS), 0);

  private final Map<String, V>[] buckets;
  private final int shift;
  private final int size;

  private BucketedMap(Map<String, V>[] buckets, int size) {
    this.buckets = buckets;
    this.shift = Integer.SIZE - Integer.numberOfTrailingZeros(buckets.length);
    this.size = size;
  }

  /** Returns a map without entries. */
  @SuppressWarnings("unchecked") // no value is ever read from it
  public static <V> BucketedMap<V> empty() {
    return (BucketedMap<V>) EMPTY;
  }

  /** Returns a map with the entries of another one. */
  public static <V> BucketedMap<V> copyOf(Map<String, V> entries) {
    return BucketedMap.<V>empty().with(entries, Set.of());
  }

  /**
   * Returns this map with other values for some keys and without some others; this map itself if
   * there are none.
   */
  public BucketedMap<V> with(Map<String, V> changed, Collection<String> removed) {
    if (changed.isEmpty() && removed.isEmpty()) {
      return this;
    }
    int wanted = bucketsFor(size + changed.size());
    boolean isBalanced =
        wanted <= buckets.length * MAX_IMBALANCE && wanted >= buckets.length / MAX_IMBALANCE;
    Editor<V> editor = new Editor<>(isBalanced ? buckets.clone() : newBuckets(wanted));
    if (!isBalanced) {
      forEach(editor::put);
    }
    removed.forEach(editor::remove);
    changed.forEach(editor::put);
    return new BucketedMap<>(editor.buckets, (isBalanced ? size : 0) + editor.added);
  }

  /**
   * Returns the keys whose values may differ from those in an older copy of this map, with a few
   * others. Compares buckets by identity, so that it takes as long as what changed.
   */
  public Set<String> keysChangedSince(BucketedMap<V> older) {
    Set<String> keys = new HashSet<>();
    if (older.buckets.length != buckets.length) {
      keys.addAll(older.keySet());
      keys.addAll(keySet());
      return keys;
    }
    for (int i = 0; i < buckets.length; i++) {
      if (!Identity.isSame(buckets[i], older.buckets[i])) {
        keys.addAll(older.buckets[i].keySet());
        keys.addAll(buckets[i].keySet());
      }
    }
    return keys;
  }

  /** Changes buckets; copies each on its first change. */
  private static final class Editor<V> {
    private final Map<String, V>[] buckets;
    private final boolean[] owned;
    private final int shift;
    private int added;

    Editor(Map<String, V>[] buckets) {
      this.buckets = buckets;
      this.owned = new boolean[buckets.length];
      this.shift = Integer.SIZE - Integer.numberOfTrailingZeros(buckets.length);
    }

    void put(String key, V value) {
      added += own(key).put(key, value) == null ? 1 : 0;
    }

    void remove(String key) {
      added -= own(key).remove(key) != null ? 1 : 0;
    }

    private Map<String, V> own(String key) {
      int i = bucketOf(key, shift);
      if (!owned[i]) {
        owned[i] = true;
        buckets[i] = new HashMap<>(buckets[i]);
      }
      return buckets[i];
    }
  }

  private static int bucketOf(Object key, int shift) {
    return (key.hashCode() * GOLDEN_RATIO) >>> shift;
  }

  private static int bucketsFor(int entries) {
    int wanted = Integer.highestOneBit(Math.max(1, entries / ENTRIES_PER_BUCKET));
    return Math.clamp(wanted, MIN_BUCKETS, MAX_BUCKETS);
  }

  @SuppressWarnings({"unchecked", "rawtypes"}) // an array cannot have a generic type
  private static <V> Map<String, V>[] newBuckets(int count) {
    Map<String, V>[] buckets = new Map[count];
    Arrays.fill(buckets, Map.of());
    return buckets;
  }

  @Override
  public int size() {
    return size;
  }

  @Override
  public boolean containsKey(@Nullable Object key) {
    return key != null && buckets[bucketOf(key, shift)].containsKey(key);
  }

  @Override
  public @Nullable V get(@Nullable Object key) {
    return key == null ? null : buckets[bucketOf(key, shift)].get(key);
  }

  @Override
  public Set<Map.Entry<String, V>> entrySet() {
    return new AbstractSet<>() {
      @Override
      public Iterator<Map.Entry<String, V>> iterator() {
        return new EntryIterator<>(buckets);
      }

      @Override
      public int size() {
        return size;
      }
    };
  }

  /** Iterates over the entries of all buckets, which it does not change. */
  private static final class EntryIterator<V> implements Iterator<Map.Entry<String, V>> {
    private final Map<String, V>[] buckets;
    private Iterator<Map.Entry<String, V>> current;
    private int next;

    EntryIterator(Map<String, V>[] buckets) {
      this.buckets = buckets;
      this.current = buckets[0].entrySet().iterator();
      this.next = 1;
    }

    @Override
    public boolean hasNext() {
      while (!current.hasNext() && next < buckets.length) {
        current = buckets[next++].entrySet().iterator();
      }
      return current.hasNext();
    }

    @Override
    public Map.Entry<String, V> next() {
      if (!hasNext()) {
        throw new NoSuchElementException();
      }
      Map.Entry<String, V> entry = current.next();
      return Map.entry(entry.getKey(), entry.getValue());
    }
  }
}
