#pragma once
#define STRIP 2048
