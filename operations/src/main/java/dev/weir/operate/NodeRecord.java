package dev.weir.operate;

/**
 * What an operation remembers of a node of the current batch.
 *
 * @param weight the weight that it had before, 0 to 1
 * @param ephemeralId of the node before its command, changes with each start; empty while unknown
 * @param command how far the operator's command is
 */
record NodeRecord(double weight, String ephemeralId, CommandState command) {
  /** How far the operator's command for a node is. */
  enum CommandState {
    /** It was not run. */
    NONE,
    /** It was about to be run, or was run; it is not known whether it has ended. */
    BEGUN,
    /** It has ended with success. */
    ENDED
  }

  NodeRecord startedAs(String newEphemeralId) {
    return new NodeRecord(weight, newEphemeralId, command);
  }

  NodeRecord with(CommandState newCommand) {
    return new NodeRecord(weight, ephemeralId, newCommand);
  }
}
