package dev.weir.core.coordinate;

import dev.weir.model.RequestContext;
import dev.weir.model.Work;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Lets in what needs no full node; the rest waits until the test says what becomes of it. */
final class ScriptedGate implements AdmissionGate {
  final Set<String> full = new HashSet<>();
  final List<Place> waiting = new ArrayList<>();
  final List<Place> asked = new ArrayList<>();

  /** A request that asked. */
  final class Place implements Entry {
    final Asked what;
    private final Consumer<Entry> told;
    private boolean waits;
    private @Nullable Exception refusal;
    boolean left;

    Place(Asked what, Consumer<Entry> told, boolean waits) {
      this.what = what;
      this.told = told;
      this.waits = waits;
    }

    void letIn() {
      waits = false;
      waiting.remove(this);
      told.accept(this);
    }

    void refuse(Exception why) {
      refusal = why;
      letIn();
    }

    @Override
    public boolean waits() {
      return waits;
    }

    @Override
    public @Nullable Exception refusal() {
      return refusal;
    }

    @Override
    public void leave() {
      left = true;
      waiting.remove(this);
    }
  }

  @Override
  public boolean atOnce(Work work, String nodeId) {
    return waiting.isEmpty() && hasRoom(work, nodeId);
  }

  @Override
  public boolean hasRoom(Work work, String nodeId) {
    return !full.contains(nodeId);
  }

  @Override
  public Entry ask(Asked what, RequestContext context, Consumer<Entry> told) {
    boolean waits = what.calls().stream().anyMatch(full::containsAll);
    Place place = new Place(what, told, waits);
    asked.add(place);
    if (waits) {
      waiting.add(place);
    }
    return place;
  }
}
