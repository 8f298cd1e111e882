package dev.weir.gateway.reload;

import dev.weir.config.policy.GatewayPolicy;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * A part of the gateway that follows the configuration while it runs. A reload first prepares every
 * part, then commits every part; see {@link ActivePolicy}.
 */
@FunctionalInterface
public interface ReloadablePart {
  /** A prepared change of one part. Each method is called at most once, {@code revert} last. */
  interface Change {
    /** Puts the prepared state in force. If it fails, {@link #revert} undoes what it has done. */
    void commit();

    /** Restores the state from before {@link #commit}, which may have thrown halfway. */
    void revert();
  }

  /** The change of a part that the new configuration doesn't concern. */
  Change NO_CHANGE =
      new Change() {
        @Override
        public void commit() {}

        @Override
        public void revert() {}
      };

  /**
   * Builds all that the part needs to follow {@code next}. Requests see nothing of it before {@link
   * Change#commit}. Whatever can fail, fails here.
   *
   * @param running the configuration in force
   * @param next the configuration to come
   */
  Change prepare(GatewayPolicy running, GatewayPolicy next);

  /**
   * A part that takes one section of the configuration by a setter; unconcerned while the section
   * stays the same.
   */
  static <T> ReloadablePart ofSection(Function<GatewayPolicy, T> section, Consumer<T> setter) {
    return (running, next) -> {
      T before = section.apply(running);
      T after = section.apply(next);
      return before.equals(after) ? NO_CHANGE : new SectionChange<>(setter, before, after);
    };
  }

  /** Several changes as one: committed in order, reverted in the opposite order. */
  static Change combine(List<Change> changes) {
    return new CombinedChange(List.copyOf(changes));
  }

  /** Commits in order; reverts what it has committed, and what failed, last one first. */
  final class CombinedChange implements Change {
    private final List<Change> changes;
    private int begun;

    private CombinedChange(List<Change> changes) {
      this.changes = changes;
    }

    @Override
    public void commit() {
      for (Change change : changes) {
        begun++; // a commit that throws halfway is reverted too
        change.commit();
      }
    }

    @Override
    public void revert() {
      Throwable failure = null;
      while (begun > 0) {
        begun--;
        try {
          changes.get(begun).revert();
        } catch (RuntimeException | Error e) {
          failure = e;
        }
      }
      if (failure != null) {
        throw new IllegalStateException("reverting a configuration failed", failure);
      }
    }
  }

  /** Hands a section to its setter, and the previous one to undo that. */
  record SectionChange<T>(Consumer<T> setter, T before, T after) implements Change {
    @Override
    public void commit() {
      setter.accept(after);
    }

    @Override
    public void revert() {
      setter.accept(before);
    }
  }
}
