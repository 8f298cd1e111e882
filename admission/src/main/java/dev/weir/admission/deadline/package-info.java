/** Determines a request's deadline from its headers and its policy. Pure; safe on any thread. */
@NullMarked
package dev.weir.admission.deadline;

import org.jspecify.annotations.NullMarked;
