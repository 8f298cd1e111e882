package dev.weir.bluegreen.dual;

import dev.weir.bluegreen.intent.IntentLog;
import dev.weir.bluegreen.intent.OrphanedIntents;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves writes from an intent log to a repair log, which then has them as {@code unknown}: those
 * that gateways left under way when they ended, and those that the repair log did not take when
 * they were missed. Blocks.
 */
public final class LostIntents {
  private static final Logger LOG = LoggerFactory.getLogger(LostIntents.class);

  private LostIntents() {}

  /** How many entries are in memory, and go to the repair log, at a time. */
  static final int MAX_APPENDED = 10_000;

  /** Puts entries on disk in a repair log. */
  interface Destination {
    void append(List<RepairEntry> entries) throws IOException;
  }

  /**
   * Moves the intents to a new file of a repair log.
   *
   * @param intents a directory of intent logs; may not exist
   * @param repairLog the directory of a repair log
   * @return the number of requests that were under way
   * @throws IOException if a log can't be read or written; what is not moved yet stays
   */
  public static int move(Path intents, Path repairLog) throws IOException {
    RollingRepairLogFile file = RollingRepairLogFile.startNow(repairLog);
    try {
      return move(
          intents, entries -> file.write(entries.stream().map(RepairEntry::toLine).toList()));
    } finally {
      file.close();
    }
  }

  /** Moves the intents. */
  static int move(Path intents, Destination destination) throws IOException {
    return OrphanedIntents.takeOver(
        intents,
        payloads -> {
          long entries = append(payloads, IntentCodec.LOST, destination);
          LOG.warn(
              "a gateway ended with {} requests of dual writes under way; {} entries are in the"
                  + " repair log now",
              payloads.size(),
              entries);
        });
  }

  /**
   * Moves the intents of this process that were abandoned.
   *
   * @return the number of their requests
   */
  static int moveAbandoned(IntentLog intents, Destination destination) throws IOException {
    return intents.takeOverAbandoned(payloads -> {
      long entries = append(payloads, IntentCodec.UNLOGGED, destination);
      LOG.warn(
          "the repair log missed {} requests of dual writes before; it has {} entries of them now",
          payloads.size(),
          entries);
    });
  }

  /** Appends what intents say of their writes; returns the number of entries. */
  private static long append(
      List<byte[]> payloads, RepairEntry.Cause cause, Destination destination) throws IOException {
    EntryBuffer entries = new EntryBuffer(destination);
    for (byte[] payload : payloads) {
      try {
        IntentCodec.decode(payload, cause, entries::add);
      } catch (IllegalArgumentException unreadable) {
        LOG.warn("an intent is lost: {}", unreadable.getMessage());
      }
    }
    entries.flush();
    return entries.appended;
  }

  /** Entries on their way to a destination, a bounded number at a time. */
  private static final class EntryBuffer {
    private final Destination destination;
    private final List<RepairEntry> entries = new ArrayList<>();
    private long appended;

    EntryBuffer(Destination destination) {
      this.destination = destination;
    }

    void add(RepairEntry entry) throws IOException {
      entries.add(entry);
      if (entries.size() == MAX_APPENDED) {
        flush();
      }
    }

    void flush() throws IOException {
      if (!entries.isEmpty()) {
        destination.append(List.copyOf(entries));
        appended += entries.size();
        entries.clear();
      }
    }
  }

  /** The number of requests that were under way when gateways ended. Changes nothing. */
  public static int count(Path intents) throws IOException {
    return OrphanedIntents.count(intents);
  }
}
