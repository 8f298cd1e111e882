package dev.weir.bluegreen.dual;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The files of a directory, as a program sees them and as they are on disk. A sync of a file puts
 * its content on disk, a sync of the directory the names. Used by one thread.
 */
final class PowerLossDisk {
  private final Map<String, Content> names = new TreeMap<>();
  private final Map<String, Content> namesOnDisk = new TreeMap<>();
  private final List<Consumer<Map<String, Content>>> unsyncedNames = new ArrayList<>();
  private int stepsLeft;
  private boolean isOff;
  private int reads;

  /** The power fails. An error, so that no handler of exceptions hides it. */
  static final class PowerLoss extends Error {
    private static final long serialVersionUID = 1L;

    PowerLoss() {
      super("the power failed", null, false, false);
    }
  }

  /** The content of a file. */
  static final class Content {
    private byte[] bytes = new byte[0];
    private byte[] bytesOnDisk = bytes;

    byte[] bytes() {
      return bytes;
    }
  }

  /**
   * Creates an empty directory.
   *
   * @param steps after how many changes and syncs the power fails
   */
  PowerLossDisk(int steps) {
    this.stepsLeft = steps;
  }

  /** The changes and syncs that are left until the power fails. */
  int stepsLeft() {
    return stepsLeft;
  }

  /** Sets after how many further changes and syncs the power fails. */
  void failAfter(int steps) {
    stepsLeft = steps;
  }

  private void step() {
    requirePower();
    if (stepsLeft-- == 0) {
      isOff = true;
      throw new PowerLoss();
    }
  }

  /** Counts a read. */
  void onRead() {
    requirePower();
    reads++;
  }

  /** How often a part of a file was read. */
  int reads() {
    return reads;
  }

  void requirePower() {
    if (isOff) {
      throw new PowerLoss();
    }
  }

  Set<String> names() {
    requirePower();
    return new TreeSet<>(names.keySet());
  }

  @Nullable Content find(String name) {
    requirePower();
    return names.get(name);
  }

  Content create(String name) {
    step();
    Content created = new Content();
    change(map -> map.put(name, created));
    return created;
  }

  void rename(String from, String to) {
    step();
    Content moved = Objects.requireNonNull(names.get(from), from);
    change(map -> {
      map.remove(from);
      map.put(to, moved);
    });
  }

  void delete(String name) {
    step();
    change(map -> map.remove(name));
  }

  private void change(Consumer<Map<String, Content>> change) {
    change.accept(names);
    unsyncedNames.add(change);
  }

  void syncNames() {
    step();
    unsyncedNames.forEach(change -> change.accept(namesOnDisk));
    unsyncedNames.clear();
  }

  void setBytes(Content file, byte[] bytes) {
    step();
    file.bytes = bytes;
  }

  void sync(Content file) {
    step();
    file.bytesOnDisk = file.bytes;
  }

  /**
   * Returns the disk after a restart: what was synced, and of the rest what chance decides. Each
   * change of a name is there as a whole or not. Of a longer content, the end may be cut off or be
   * zeros.
   */
  PowerLossDisk restart(Random random) {
    unsyncedNames.stream()
        .filter(change -> random.nextBoolean())
        .forEach(change -> change.accept(namesOnDisk));
    PowerLossDisk restarted = new PowerLossDisk(Integer.MAX_VALUE);
    namesOnDisk.forEach((name, content) -> {
      Content survived = new Content();
      survived.bytes = surviving(content, random);
      survived.bytesOnDisk = survived.bytes;
      restarted.names.put(name, survived);
      restarted.namesOnDisk.put(name, survived);
    });
    return restarted;
  }

  private static byte[] surviving(Content content, Random random) {
    byte[] before = content.bytesOnDisk;
    byte[] after = content.bytes;
    if (after.length <= before.length) {
      return random.nextBoolean() ? before : after;
    }
    int length = before.length + random.nextInt(after.length - before.length + 1);
    byte[] some = Arrays.copyOf(after, length);
    if (random.nextBoolean()) {
      Arrays.fill(some, before.length, length, (byte) 0);
    }
    return some;
  }
}
