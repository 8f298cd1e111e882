package dev.weir.core.coordinate;

import dev.weir.model.NodeCallType;
import dev.weir.model.RequestContext;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Admits requests that need no full node; the others wait until the test decides. */
final class ScriptedAdmissionGate implements AdmissionGate {
  final Set<String> full = new HashSet<>();
  final Map<String, Integer> checkedCalls = new HashMap<>();
  final Set<String> reserved = new HashSet<>();
  final List<ScriptedHandle> waiting = new ArrayList<>();
  final List<ScriptedHandle> asked = new ArrayList<>();

  /** A request for admission. */
  final class ScriptedHandle implements AdmissionHandle {
    final AdmissionRequest what;
    private final Consumer<AdmissionHandle> told;
    private boolean waits;
    private @Nullable Exception refusal;
    boolean left;
    List<List<String>> nodeIdsByCall;

    ScriptedHandle(AdmissionRequest what, Consumer<AdmissionHandle> told, boolean waits) {
      this.what = what;
      this.nodeIdsByCall = what.nodeIdsByCall();
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
    public boolean isWaiting() {
      return waits;
    }

    @Override
    public @Nullable Exception rejection() {
      return refusal;
    }

    @Override
    public boolean isReservedOn(String nodeId) {
      return reserved.contains(nodeId);
    }

    @Override
    public void widen(List<List<String>> wider) {
      nodeIdsByCall = wider;
      if (waits && wider.stream().noneMatch(full::containsAll)) {
        letIn();
      }
    }

    @Override
    public void release() {
      left = true;
      waiting.remove(this);
    }
  }

  @Override
  public boolean canAdmitImmediately(
      NodeCallType work, String nodeId, int calls, RequestContext context) {
    checkedCalls.put(nodeId, calls);
    return waiting.isEmpty() && hasCapacity(work, nodeId, context);
  }

  @Override
  public boolean hasCapacity(NodeCallType work, String nodeId, RequestContext context) {
    return !full.contains(nodeId);
  }

  @Override
  public AdmissionHandle requestAdmission(
      AdmissionRequest what, RequestContext context, Consumer<AdmissionHandle> told) {
    boolean waits = what.nodeIdsByCall().stream().anyMatch(full::containsAll);
    ScriptedHandle place = new ScriptedHandle(what, told, waits);
    asked.add(place);
    if (waits) {
      waiting.add(place);
    }
    return place;
  }
}
