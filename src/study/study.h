// The same thing done several times, and what can be said about it then.
#pragma once

#include "study/spread.h"  // climbs and tuning sessions, and how far they lie apart
#include "study/success.h" // steps that an engine is asked for, and how often they are right
