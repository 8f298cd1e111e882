package dev.weir.operate;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the journal of the one operation of a cluster in its settings. The journal is the lock: a
 * second operation is refused while there is one, and a command whose operation another one has
 * taken over stops at its next write. For one thread.
 */
final class JournalStore {
  private static final String SETTING = ClusterSettings.PERSISTENT + "." + JournalFormat.SETTING;
  private static final long SETTLE_MILLIS = 300;

  private final ClusterApi cluster;

  JournalStore(ClusterApi cluster) {
    this.cluster = cluster;
  }

  /** Reads the journal; null if no operation has begun. */
  @Nullable OperationJournal read() throws OperationException, InterruptedException {
    String text = cluster.settings().getOrDefault(SETTING, "");
    return text.isEmpty() ? null : JournalFormat.read(text);
  }

  /**
   * Writes the journal of a new operation. Of two commands that do so at once, the one that wrote
   * last goes on.
   *
   * @throws OperationException if there is another operation
   */
  void begin(OperationJournal journal) throws OperationException, InterruptedException {
    OperationJournal other = read();
    if (other != null) {
      throw anotherOne(other);
    }
    put(journal);
    Thread.sleep(SETTLE_MILLIS);
    requireOwn(journal);
  }

  static OperationException anotherOne(OperationJournal other) {
    return new OperationException(
        "another operation has begun: "
            + other.kind().text()
            + " of "
            + other.startedAt()
            + ", at step "
            + other.step().text()
            + " of "
            + String.join(", ", other.batch())
            + ". If the command that carries it out has ended, go on with --resume, or give its"
            + " settings back with --abort");
  }

  /** Takes an operation over from the process that carries it out. */
  void takeOver(OperationJournal journal) throws OperationException, InterruptedException {
    put(journal);
    Thread.sleep(SETTLE_MILLIS);
    requireOwn(journal);
  }

  /**
   * Writes the journal of an own operation.
   *
   * @throws OperationException if another command has taken it over
   */
  void write(OperationJournal journal) throws OperationException, InterruptedException {
    requireOwn(journal);
    put(journal);
  }

  void remove(OperationJournal journal) throws OperationException, InterruptedException {
    requireOwn(journal);
    cluster.changeSettings(Map.of(SETTING, ""));
  }

  private void put(OperationJournal journal) throws OperationException, InterruptedException {
    cluster.changeSettings(Map.of(SETTING, JournalFormat.write(journal)));
  }

  /**
   * Reads the journal again.
   *
   * @throws OperationException if another command has taken the operation over
   */
  void requireOwn(OperationJournal journal) throws OperationException, InterruptedException {
    OperationJournal now = read();
    if (now == null || !now.owner().equals(journal.owner())) {
      throw new JournalTakenException(
          now == null
              ? "the operation was aborted by another command"
              : "another command has taken the operation over");
    }
  }
}
