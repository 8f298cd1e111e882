/** Requests as OpenTelemetry traces, as a collector gets them. */
@NullMarked
package dev.weir.it.traces;

import org.jspecify.annotations.NullMarked;
