package dev.weir.operate;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the journal of the one operation of a cluster in its settings. The journal is the lock: a
 * second operation is refused while there is one, and a command whose operation another one has
 * taken over stops at its next write. The owner has a setting of its own, so that a command takes
 * an operation over without a write to the journal. For one thread.
 */
final class JournalStore {
  private static final String SETTING = ClusterSettings.PERSISTENT + "." + JournalFormat.SETTING;
  private static final String OWNER = ClusterSettings.PERSISTENT + "." + JournalFormat.OWNER;
  private static final long SETTLE_MILLIS = 300;

  private final ClusterApi cluster;

  /** The step of the journal that was last written or taken over. */
  private OperationStep lastStep = OperationStep.CHECK;

  JournalStore(ClusterApi cluster) {
    this.cluster = cluster;
  }

  /** The step from which another command would go on. */
  OperationStep lastStep() {
    return lastStep;
  }

  /** Reads the journal; null if no operation has begun. */
  @Nullable OperationJournal read() throws OperationException, InterruptedException {
    Map<String, String> settings = cluster.settings();
    String text = settings.getOrDefault(SETTING, "");
    return text.isEmpty()
        ? null
        : JournalFormat.read(text).ownedBy(settings.getOrDefault(OWNER, ""));
  }

  /**
   * Reads the journal, before a new operation.
   *
   * @throws JournalTakenException if there is another operation
   */
  void requireNone() throws OperationException, InterruptedException {
    OperationJournal other = read();
    if (other != null) {
      throw anotherOne(other);
    }
  }

  /** Writes the journal of a new operation, where there was none; {@link #confirm} comes next. */
  void begin(OperationJournal journal) throws OperationException, InterruptedException {
    requireNone();
    put(
        journal,
        Map.of(),
        () -> {
          if (read() != null) { // an attempt without an answer may have written it
            requireBegun(journal);
          }
        });
  }

  /**
   * Makes sure that a new operation has begun. Of two commands that begin one at once, the one that
   * wrote last goes on.
   *
   * @throws JournalTakenException if there is another operation
   */
  void confirm(OperationJournal journal) throws OperationException, InterruptedException {
    Thread.sleep(SETTLE_MILLIS);
    requireBegun(journal);
  }

  private void requireBegun(OperationJournal journal)
      throws OperationException, InterruptedException {
    OperationJournal now = read();
    if (now != null && !now.id().equals(journal.id())) {
      throw anotherOne(now);
    }
    requireOwn(journal);
  }

  private static JournalTakenException anotherOne(OperationJournal other) {
    return new JournalTakenException(
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

  /**
   * Takes an operation over from the process that carries it out.
   *
   * @return the journal as that process left it
   */
  OperationJournal takeOver() throws OperationException, InterruptedException {
    String owner = UUID.randomUUID().toString();
    cluster.changeSettings(Map.of(OWNER, owner));
    Thread.sleep(SETTLE_MILLIS);
    Map<String, String> settings = cluster.settings();
    String text = settings.getOrDefault(SETTING, "");
    boolean isOwn = settings.getOrDefault(OWNER, "").equals(owner);
    if (text.isEmpty()) {
      if (isOwn) {
        cluster.changeSettings(Map.of(OWNER, ""));
      }
      throw taken(true);
    }
    if (!isOwn) {
      throw taken(false);
    }
    OperationJournal journal = JournalFormat.read(text).ownedBy(owner);
    if (JournalFormat.isPrevious(text)) {
      replacePrevious(journal);
    }
    lastStep = journal.step();
    return journal;
  }

  /**
   * Writes a journal of the previous version in the format of this one. A command of that version
   * looks for its owner in the journal, so only this keeps it from going on.
   */
  private void replacePrevious(OperationJournal journal)
      throws OperationException, InterruptedException {
    put(journal, Map.of(), () -> requireOwn(journal));
    Thread.sleep(SETTLE_MILLIS);
    requireOwn(journal);
    if (JournalFormat.isPrevious(cluster.settings().getOrDefault(SETTING, ""))) {
      throw taken(false); // its command wrote before it saw that it has to stop
    }
  }

  /**
   * Writes the journal of an own operation, and other settings, in one change.
   *
   * @param effect what the step of the journal changes
   * @throws OperationException if another command has taken it over
   */
  void write(OperationJournal journal, Map<String, String> effect)
      throws OperationException, InterruptedException {
    requireOwn(journal);
    put(journal, effect, () -> requireOwn(journal));
  }

  /** Removes the journal, and changes other settings, in one change. */
  void remove(OperationJournal journal, Map<String, String> effect)
      throws OperationException, InterruptedException {
    requireOwn(journal);
    Map<String, String> change = new LinkedHashMap<>(effect);
    change.put(SETTING, "");
    change.put(OWNER, "");
    try {
      cluster.changeSettings(change, () -> requireOwn(journal));
    } catch (JournalTakenException taken) {
      OperationJournal now = read(); // an attempt without an answer may have removed it
      if (now != null && now.id().equals(journal.id())) {
        throw taken;
      }
    }
  }

  /**
   * Writes a journal.
   *
   * @param repetition what has to hold before another attempt: otherwise it would revive an
   *     operation that was aborted since the first one
   */
  private void put(
      OperationJournal journal, Map<String, String> effect, RepeatedCall.Precondition repetition)
      throws OperationException, InterruptedException {
    Map<String, String> change = new LinkedHashMap<>(effect);
    change.put(SETTING, JournalFormat.write(journal));
    change.put(OWNER, journal.owner());
    cluster.changeSettings(change, repetition);
    lastStep = journal.step();
  }

  /**
   * Reads the owner again.
   *
   * @throws OperationException if another command has taken the operation over
   */
  void requireOwn(OperationJournal journal) throws OperationException, InterruptedException {
    Map<String, String> now = cluster.settings();
    boolean hasEnded = now.getOrDefault(SETTING, "").isEmpty();
    if (hasEnded || !now.getOrDefault(OWNER, "").equals(journal.owner())) {
      throw taken(hasEnded);
    }
  }

  /**
   * Returns whether an operation that another command has taken over is aborted, or is about to be:
   * then nobody needs what it has changed.
   */
  boolean isGivenBack(OperationJournal journal) throws OperationException, InterruptedException {
    OperationJournal now = read();
    return now == null || (now.id().equals(journal.id()) && now.step() == OperationStep.ABORT);
  }

  private static JournalTakenException taken(boolean hasEnded) {
    return new JournalTakenException(
        hasEnded
            ? "the operation was aborted by another command, or has ended"
            : "another command has taken the operation over");
  }
}
