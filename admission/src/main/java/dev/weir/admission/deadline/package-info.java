/** Determines how long a request's client waits, from its headers and its policy. */
@NullMarked
package dev.weir.admission.deadline;

import org.jspecify.annotations.NullMarked;
