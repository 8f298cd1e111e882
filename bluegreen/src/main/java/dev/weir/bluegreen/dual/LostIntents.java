package dev.weir.bluegreen.dual;

import dev.weir.bluegreen.intent.OrphanedIntents;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves the writes that gateways left under way when they ended from their intent log to a repair
 * log, which then has them as {@code unknown}. Blocks.
 */
public final class LostIntents {
  private static final Logger LOG = LoggerFactory.getLogger(LostIntents.class);

  private LostIntents() {}

  /** About how many entries are in memory, and go to the repair log, at a time. */
  private static final int MAX_APPENDED = 10_000;

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
          int moved = 0;
          List<RepairEntry> entries = new ArrayList<>();
          for (byte[] payload : payloads) {
            try {
              entries.addAll(IntentCodec.decode(payload));
            } catch (IllegalArgumentException unreadable) {
              LOG.warn("an intent in {} is lost: {}", intents, unreadable.getMessage());
            }
            if (entries.size() >= MAX_APPENDED) {
              destination.append(List.copyOf(entries));
              moved += entries.size();
              entries.clear();
            }
          }
          if (!entries.isEmpty()) {
            destination.append(List.copyOf(entries));
          }
          LOG.warn(
              "a gateway ended with {} requests of dual writes under way; {} entries are in the"
                  + " repair log now",
              payloads.size(),
              moved + entries.size());
        });
  }

  /** The number of requests that were under way when gateways ended. Changes nothing. */
  public static int count(Path intents) throws IOException {
    return OrphanedIntents.count(intents);
  }
}
